// The health check of a container: exits 0 while this machine's web process is ready, or where there is none (ROLES=worker).
const { PORT = '3000', ROLES = 'web,worker' } = process.env
if (ROLES.split(',').some((role) => role.trim() === 'web')) {
  const { ok } = await fetch(`http://127.0.0.1:${PORT}/readyz`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = ok ? 0 : 1
}

// Checks the health of a container: exits with 0 while its process is ready. It asks a worker at ADMIN_PORT, and passes if there is none.
const { PORT = '3000', ADMIN_PORT, ROLES = 'web,worker' } = process.env
const isWeb = ROLES.split(',').some((role) => role.trim() === 'web')
const place = isWeb ? PORT : ADMIN_PORT
if (place) {
  const { ok } = await fetch(`http://${place.includes(':') ? place : `127.0.0.1:${place}`}/readyz`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = ok ? 0 : 1
}

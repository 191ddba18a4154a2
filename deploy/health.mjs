// The health check of a container: exits 0 while its process is ready. A worker is asked at ADMIN_PORT, and passes without one.
const { PORT = '3000', ADMIN_PORT, ROLES = 'web,worker' } = process.env
const isWeb = ROLES.split(',').some((role) => role.trim() === 'web')
const place = isWeb ? PORT : ADMIN_PORT
if (place) {
  const { ok } = await fetch(`http://${place.includes(':') ? place : `127.0.0.1:${place}`}/readyz`, { signal: AbortSignal.timeout(4_000) })
  process.exitCode = ok ? 0 : 1
}

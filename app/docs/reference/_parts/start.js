// Runs in the browser, after Scalar's own file. Sends no requests to third parties, which the page's policy enforces.
const scheme = localStorage.getItem('mantine-color-scheme-value')

window.Scalar.createApiReference('#reference', {
  url: '/v1/openapi.json',
  title: 'Reelgate API',
  theme: 'none',
  darkMode: scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches),
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  hideClientButton: true,
  hideDarkModeToggle: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  authentication: { preferredSecurityScheme: 'ApiKey' },
})

// Runs in the browser, after Scalar's own file. No third party is asked for anything; the page's policy makes sure of it.
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

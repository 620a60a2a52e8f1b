// The page at /docs, in the browser: the reference takes the place of the list of operations.
document.getElementById('plain').remove()

Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  // Where the page is: the policy lets it ask nothing else, and the service may stand behind a path of its own.
  servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }],
  // The key stays in this page's memory.
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'key' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Nothing from elsewhere, and nothing that leads there.
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  // The scheme is the system's.
  hideDarkModeToggle: true,
  favicon: document.querySelector('link[rel=icon]').href,
})

// The page at /docs: runs in the browser.

// Swagger UI has a dark scheme, under a class. The rest of the page follows the system by itself.
const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followSystem)
followSystem()

// The examples call the service that shows them.
const base = new URL('.', location.href).href.replace(/\/$/, '')
for (const code of document.querySelectorAll('.quickstart code'))
  code.textContent = code.textContent.replaceAll('http://127.0.0.1:8080', base)

// The key is kept for this tab only: it outlives a reload, and nothing else.
const KEPT = 'video-intelligence.key'
const keepKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          sessionStorage.setItem(KEPT, JSON.stringify(given))
          return authorize(given)
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(KEPT)
          return logout(names)
        },
      },
    },
  },
})

const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#page',
  validatorUrl: null,
  docExpansion: 'list',
  // The address names the operation that is open: it can be passed on.
  deepLinking: true,
  plugins: [keepKey],
  onComplete() {
    const given = sessionStorage.getItem(KEPT)
    if (given !== null) ui.authActions.authorize(JSON.parse(given))
  },
})

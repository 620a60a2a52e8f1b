import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { docsSource } from './docs-page.ts'

type Actions = Record<'authorize' | 'logout', (next: (given: unknown) => unknown) => (given: unknown) => unknown>
type Given = {
  deepLinking: boolean
  onComplete(): void
  plugins: (() => { statePlugins: { auth: { wrapActions: Actions } } })[]
}

/** Opens the page as a browser does, with what the tab has stored and the system's scheme. */
function open(stored: Map<string, string>, { isDark = false } = {}) {
  const code = { textContent: 'curl http://127.0.0.1:8080/v1/me' }
  const authorized: unknown[] = []
  const classes = new Set<string>()
  const scheme = Object.assign(new EventTarget(), { matches: isDark })
  let given: Given | undefined
  runInNewContext(docsSource('start.js'), {
    URL,
    location: { href: 'https://example.com/video/docs#/Transcripts/requestTranscript' },
    matchMedia: () => scheme,
    document: {
      documentElement: { classList: { toggle: (name: string, on: boolean) => classes[on ? 'add' : 'delete'](name) } },
      querySelectorAll: () => [code],
    },
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    SwaggerUIBundle: (options: Given) => {
      given = options
      return { authActions: { authorize: (key: unknown) => authorized.push(key) } }
    },
  })
  given?.onComplete()
  const actions = given?.plugins[0]?.().statePlugins.auth.wrapActions
  return { code, authorized, classes, scheme, actions, given }
}

const payload = { key: { name: 'key', value: 'ma_secret', schema: { type: 'apiKey' } } }

describe('the page at /docs', () => {
  it('keeps the key for the tab until it is taken out', () => {
    const stored = new Map<string, string>()
    const first = open(stored)
    expect(first.authorized).to.deep.equal([])
    expect(first.actions?.authorize((given) => given)(payload)).to.equal(payload)
    const again = open(stored)
    expect(JSON.stringify(again.authorized)).to.equal(JSON.stringify([payload]))
    again.actions?.logout((names) => names)(['key'])
    expect(open(stored).authorized).to.deep.equal([])
  })

  it('follows the scheme of the system', () => {
    expect([...open(new Map()).classes]).to.deep.equal([])
    const { classes, scheme } = open(new Map(), { isDark: true })
    expect([...classes]).to.deep.equal(['dark-mode'])
    Object.assign(scheme, { matches: false }).dispatchEvent(new Event('change'))
    expect([...classes]).to.deep.equal([])
  })

  it('shows its own address in the examples, and links to operations', () => {
    const { code, given } = open(new Map())
    expect(code.textContent).to.equal('curl https://example.com/video/v1/me')
    expect(given?.deepLinking).to.equal(true)
  })
})

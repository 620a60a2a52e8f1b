/** `npm run service -- NAME`: one service in a process of its own. */
const mains: Readonly<Record<string, () => Promise<unknown>>> = {
  ingress: () => import('#services/ingress/main.ts'),
  orchestrator: () => import('#services/orchestrator/main.ts'),
  fetch: () => import('#services/fetch/main.ts'),
  caption: () => import('#services/caption/main.ts'),
  'speech-to-text': () => import('#services/speech-to-text/main.ts'),
  extract: () => import('#services/extract/main.ts'),
  projections: () => import('#services/projections/main.ts'),
}

const [name = '', ...rest] = process.argv.slice(2)
const main = rest.length === 0 && Object.hasOwn(mains, name) ? mains[name] : undefined
if (main !== undefined) await main()
else {
  console.error(`Usage: npm run service -- ${Object.keys(mains).join(' | ')}`)
  process.exitCode = 2
}

import type { SandboxAnswer, SandboxPage } from '../site.ts'

/** A token in every page, which the interface requires. */
export const LSD = 'AdSandboxLsdToken'

/** A page of Instagram with the initial data of its scripts. Without data it shows guests nothing. */
export const page = (data: object | undefined): SandboxAnswer => ({ status: 200, page: rendered(data ?? {}) })

const rendered = (data: object): SandboxPage => ({ data, render: html })

function html(data: object): string {
  const streamed = { complete: true, result: { data, extensions: { is_final: true } } }
  const cache = ['RelayPrefetchedStreamCache', 'next', [], ['adp_PolarisLoggedOutDesktopWWW', { __bbox: streamed }]]
  const scripts = { require: [['ScheduledServerJS', 'handle', null, [{ __bbox: { require: [cache] } }]]] }
  const isEmpty = Object.keys(data).length === 0
  return `<!DOCTYPE html><html lang="en"><head><title>Instagram</title>
<script type="application/json" id="__eqmc" nonce="sandbox">{"u":"\\/ajax\\/qm\\/?__a=1","e":"sandbox","s":"sandbox","w":0,"f":"","l":"${LSD}"}</script></head><body>
${isEmpty ? '' : `<script type="application/json" data-content-len="1" data-sjs>${inScript(scripts)}</script>`}
</body></html>`
}

const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003C')

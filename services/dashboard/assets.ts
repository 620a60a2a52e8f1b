/** The files that pages load: one stylesheet, and one script with all islands. Built when the service starts. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, stop } from 'esbuild'
import { fileName } from '#packages/foundation/page-files/file-name.ts'

/** `gzipped`: the compressed body, a third of the size, for browsers that accept it. */
export type Asset = { body: string; gzipped: Buffer; mediaType: string }

const asset = (body: string, mediaType: string): Asset => ({ body, gzipped: gzipSync(body, { level: 9 }), mediaType })

/** By name. Each name contains a hash of the file, so browsers can cache it permanently. */
export type Assets = { byName: ReadonlyMap<string, Asset>; style: string; script: string }

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [pathOf(file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** Bundles files. The compiler is a separate process, which would keep running. */
async function bundled(...files: string[]): Promise<string[]> {
  const bundles = await Promise.all(files.map(bundle))
  await stop()
  return bundles
}

/** The stylesheet of all pages. */
export const makeStyle = async (): Promise<string> => (await bundled('./look/style.css')).join('')

export async function makeAssets(): Promise<Assets> {
  const [style = '', script = ''] = await bundled('./look/style.css', './islands/main.ts')
  const names = { style: fileName('style', 'css', style), script: fileName('islands', 'js', script) }
  const byName = new Map([
    [names.style, asset(style, 'text/css; charset=utf-8')],
    [names.script, asset(script, 'text/javascript; charset=utf-8')],
  ])
  return { byName, ...names }
}

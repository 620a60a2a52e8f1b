import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { chromiumPath } from '#test/browser/chromium.ts'
import { compilerOptions, printed } from '../programs.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export type PackedOptions = {
  /** An empty folder for the project. */
  folder: string
  base: string
  key: string
  videos: { captioned: string; hidden: string }
  /** TypeScript compilers: title, and the path of `tsc`. */
  compilers: readonly (readonly [string, string])[]
  /** The expected result of `work.mjs`. */
  expected: unknown
}

/** Packs a package as it is published. @returns the file */
export async function pack(from: string, to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  await printed(resolve(from), 'npm', ['pack', '--pack-destination', to])
  const [name, ...others] = await readdir(to)
  if (name === undefined || others.length > 0) throw new Error(`packed: ${[name, ...others].join(', ')}`)
  return join(to, name)
}

/** An empty project with the client and nothing else. @throws Error if the client brings a dependency with it */
async function makeProject(folder: string, tarball: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'customer', private: true }))
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball]
  await printed(folder, 'npm', install)
  const installed = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))
  if (!isDeepStrictEqual(installed, ['video-intelligence'])) throw new Error(`installed: ${installed.join(', ')}`)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  for (const name of ['program.mjs', 'program.cjs', 'work.mjs', 'program.ts'])
    await copyFile(fileOf(name), join(folder, name))
}

/**
 * The versions of Node to test: this process's, and the machine's if it is another one and not older than the client
 * promises.
 */
export async function nodes(): Promise<string[]> {
  const system = '/usr/bin/node'
  const version = await printed('.', system, ['--version']).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  const major = Number(/^v(\d+)/.exec(version)?.[1] ?? 0)
  return major >= 20 && version !== process.version ? [process.execPath, system] : [process.execPath]
}

async function inChromium({ folder, base, key, videos }: PackedOptions): Promise<unknown> {
  const entry = `export { VideoIntelligence } from 'video-intelligence'; export { work } from './work.mjs'`
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'bundle', platform: 'browser' },
  })
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error('Chromium is missing: ops/setup --dev installs it')
  await using opened = new AsyncDisposableStack()
  const args = ['--no-sandbox']
  const browser = opened.adopt(await chromium.launch({ executablePath, args }), (one) => one.close())
  const page = await browser.newPage()
  await page.goto(`${base}/health`)
  const call = `bundle.work(new bundle.VideoIntelligence(${JSON.stringify({ baseUrl: base, apiKey: key })}), ${JSON.stringify(videos.captioned)}, ${JSON.stringify(videos.hidden)})`
  return await page.evaluate(`${outputFiles[0]?.text ?? ''}; ${call}`)
}

/** The checks of the packed client, in order. */
export function packedChecks(options: PackedOptions): { title: string; run(): Promise<void> }[] {
  const { folder, base, key, videos, compilers, expected } = options
  const expectGot = (got: unknown): void => {
    if (!isDeepStrictEqual(got, expected)) throw new Error(`it got ${JSON.stringify(got)}`)
  }
  return [
    {
      title: 'packages/client is packed, and installs without a dependency',
      async run() {
        await mkdir(folder, { recursive: true })
        await makeProject(folder, await pack('packages/client', join(folder, 'packed')))
        const manifest = JSON.parse(await readFile('package.json', 'utf8'))
        const packed = JSON.parse(await readFile(join(folder, 'node_modules/video-intelligence/package.json'), 'utf8'))
        if (packed.version !== manifest.version) throw new Error(`the client is ${packed.version}`)
      },
    },
    {
      title: 'the packed client works as an ECMAScript module and as CommonJS, on each Node of this machine',
      async run() {
        for (const node of await nodes())
          for (const program of ['program.mjs', 'program.cjs']) {
            const words = [program, base, key, videos.captioned, videos.hidden]
            expectGot(JSON.parse((await printed(folder, node, words)).stdout))
          }
      },
    },
    ...compilers.map(([title, compiler]) => ({
      title: `${title} accepts a program on its types, as either kind of module, and refuses bodies that are none`,
      async run() {
        for (const type of ['module', 'commonjs']) {
          await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'customer', private: true, type }))
          await printed(folder, process.execPath, [compiler, '--project', '.'])
        }
      },
    })),
    { title: 'a bundle of the packed client works in Chromium', run: async () => expectGot(await inChromium(options)) },
  ]
}

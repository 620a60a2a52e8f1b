import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsdown'

/** The packages that are bundled into the program. The build refuses any other. */
const bundled = [
  ...['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'ajv', 'csv-parse'],
  ...['fast-deep-equal', 'fast-uri', 'json-schema-traverse', 'zod'],
]

/** The licenses of the bundled packages, which must accompany each copy. */
function licenses(): string {
  return bundled
    .map((name) => {
      const folder = join('../../node_modules', name)
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const [file] = globSync('LICENSE*', { cwd: folder })
      if (file === undefined) throw new Error(`${name} has no license`)
      return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** `npm pack` in this folder: one program for Node, with all dependencies bundled. */
export default defineConfig({
  entry: 'main.ts',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: false,
  fixedExtension: false,
  deps: { alwaysBundle: [/./], onlyBundle: bundled },
  hooks: { 'build:done': () => writeFileSync('dist/LICENSES', licenses()) },
})

/**
 * `ops/pin-images`: reads the current digests of the tags in ops/compose.yaml and ops/Dockerfile from the registries,
 * and writes them after the tags. Writes all or none: exits 1 if one cannot be fetched.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { imageOf, imagesIn, pinned } from './image.ts'
import { digestOf } from './registry.ts'

const files = ['ops/compose.yaml', 'ops/Dockerfile'] as const

async function main(): Promise<void> {
  const texts = files.map((path) => readFileSync(path, 'utf8'))
  const digests = new Map<string, string>()
  for (const reference of new Set(texts.flatMap(imagesIn))) {
    digests.set(reference, await digestOf(imageOf(reference)))
    console.log(`${reference}  ${digests.get(reference)}`)
  }
  for (const [index, path] of files.entries()) writeFileSync(path, pinned(texts[index] ?? '', digests))
  console.log(`Written to ${files.join(' and ')}: read the change, then commit it.`)
}

await main().catch((error: Error) => {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  console.error(`Nothing was written: ${error.message}${cause}`)
  process.exitCode = 1
})

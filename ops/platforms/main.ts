/**
 * `npm run platforms -- check [URL …]`: runs every operation of every platform as the service would, with the same
 * configuration. Reports for each whether it works, is refused, or gets a changed answer, and in which field. With
 * URLs: only their metadata, captions and media. Exits 1 if an answer has changed, 2 for an unknown command.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { readConfig, unpaced } from '#packages/foundation/config/config.ts'
import { printableLines } from '#packages/foundation/printable/printable.ts'
import { platforms } from '#packages/platforms/registry.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { unexported } from '#services/host/open-telemetry.ts'
import { openOutside } from '#services/host/outside.ts'
import { changedIn, reportOf } from './cells.ts'
import { type CheckOptions, checkPlatforms, type Examples } from './check.ts'
import { DriftLog } from './drift-log.ts'

/** A word for which every platform has videos. */
const QUERY = 'music'

type Wanted = Pick<CheckOptions, 'examples' | 'query'>

/** @throws Error a URL is no video of a platform */
function wantedBy(urls: readonly string[]): Wanted {
  if (urls.length === 0)
    return { examples: Object.fromEntries(platforms.map(({ name, check }) => [name, check])), query: QUERY }
  const given: Examples = {}
  for (const url of urls) {
    const parsed = parseVideoUrl(url)
    if (!parsed.accepted || parsed.kind !== 'video') throw new Error(`${url} is the URL of no video of a platform`)
    const { platform, canonical } = parsed
    given[platform] = { urls: [...(given[platform]?.urls ?? []), canonical] }
  }
  return { examples: given, query: undefined }
}

async function check(wanted: Wanted): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'platforms-'))
  try {
    const drift = new DriftLog()
    const data = await openDataDirectory(folder)
    // an operator's few reads ignore the pace
    await using outside = await openOutside(readConfig({ ...process.env, ...unpaced(process.env) }), data, {
      clock,
      ids,
      log: drift.log,
      telemetry: unexported,
      isEstablished: async () => false,
    })
    const cells = await checkPlatforms({ platforms: outside.platforms, drift, ...wanted })
    console.log(printableLines(reportOf(cells)))
    return cells.every((cell) => changedIn(cell).length === 0)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const [command, ...urls] = process.argv.slice(2)
try {
  if (command !== 'check') throw new Error('Usage: npm run platforms -- check [URL …]')
  process.exitCode = (await check(wantedBy(urls))) ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

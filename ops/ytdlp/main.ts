/**
 * `npm run ytdlp -- CHANNEL [--daily]`: upgrades yt-dlp, and what moves with it, once or every day. Channels: `pinned`,
 * `stable`, `nightly`, `newest` (see `upgrade.ts`). Once: exits 1 where nothing was upgraded. With `--daily` it never
 * ends: a failure is told, and what was there before stays.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { PYTHON, UPGRADES } from '#services/host/outside.ts'
import { tryOnSandbox } from './trial.ts'
import { channels, upgradeYtdlp } from './upgrade.ts'

const DAY_MS = 86_400_000

const [wanted = '', ...more] = process.argv.slice(2)
const channel = channels.find((name) => name === wanted)
const isDaily = more[0] === '--daily'
if (!channel || more.length > (isDaily ? 1 : 0)) {
  console.error(`Usage: npm run ytdlp -- ${channels.join('|')} [--daily]`)
  process.exit(2)
}

const say = (line: string): void => console.log(line)
const trial = (packages: string): Promise<void> => tryOnSandbox(PYTHON, packages)

do {
  try {
    await upgradeYtdlp({ channel, folder: UPGRADES, python: PYTHON, trial, say })
  } catch (error) {
    console.error(`yt-dlp stays as it is: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
  if (isDaily) await delay(DAY_MS)
} while (isDaily)

/**
 * `npm run ytdlp -- [CHANNEL] [--daily]`: upgrades yt-dlp, and what moves with it, once or every day. Channels: `pinned`,
 * `stable`, `nightly`, `newest` (see `upgrade.ts`); without one that of YTDLP_CHANNEL. A failure is told, and what was
 * there before stays: once, it exits 1; with `--daily` it goes on, and never ends.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '#packages/config/config.ts'
import { PYTHON, UPGRADES } from '#services/host/outside.ts'
import { testOnSandbox } from './self-test.ts'
import { type Channel, channels, upgradeYtdlp } from './upgrade.ts'

const DAY_MS = 86_400_000

type Wanted = { channel: Channel; isDaily: boolean }

/** @throws Error for words that say nothing */
function wantedBy(words: readonly string[]): Wanted {
  const isDaily = words.at(-1) === '--daily'
  const [name = readConfig(process.env).ytdlpChannel, ...more] = isDaily ? words.slice(0, -1) : words
  const channel = channels.find((one) => one === name)
  if (!channel || more.length > 0) throw new Error(`Usage: npm run ytdlp -- [${channels.join('|')}] [--daily]`)
  return { channel, isDaily }
}

async function upgrade(channel: Channel): Promise<void> {
  const say = (line: string): void => console.log(line)
  const selfTest = (packages: string): Promise<void> => testOnSandbox(PYTHON, packages)
  try {
    await upgradeYtdlp({ channel, folder: UPGRADES, python: PYTHON, selfTest, say })
  } catch (error) {
    console.error(`yt-dlp stays as it is: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}

try {
  const { channel, isDaily } = wantedBy(process.argv.slice(2))
  await upgrade(channel)
  while (isDaily) {
    await delay(DAY_MS)
    await upgrade(channel)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

/**
 * `npm run ytdlp -- [CHANNEL] [--daily]`: upgrades yt-dlp, and what moves with it, once or every day. Channels: `pinned`,
 * `stable`, `nightly`, `newest` (see `upgrade.ts`); without one that of YTDLP_CHANNEL. A failure is told, and what was
 * there before stays: once, it exits 1; with `--daily` it tries again after an hour. A pinned yt-dlp is not upgraded daily.
 * `npm run ytdlp -- previous` goes back to the upgrade before.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '#packages/config/config.ts'
import { PYTHON, UPGRADES } from '#services/host/outside.ts'
import { testOnSandbox } from './self-test.ts'
import { type Channel, channels, takePrevious, upgradeYtdlp } from './upgrade.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

type Wanted = { channel: Channel; isDaily: boolean }

/** @throws Error for words that say nothing */
function wantedBy(words: readonly string[]): Wanted {
  const isDaily = words.at(-1) === '--daily'
  const [name = readConfig(process.env).ytdlpChannel, ...more] = isDaily ? words.slice(0, -1) : words
  const channel = channels.find((one) => one === name)
  if (!channel || more.length > 0)
    throw new Error(`Usage: npm run ytdlp -- [${channels.join('|')}] [--daily] | previous`)
  return { channel, isDaily }
}

const say = (line: string): void => console.log(line)

/** @returns whether it succeeded */
async function succeeds(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    console.error(`yt-dlp stays as it is: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
    return false
  }
}

const upgrade = (channel: Channel): Promise<boolean> => {
  const selfTest = (packages: string): Promise<void> => testOnSandbox(PYTHON, packages)
  return succeeds(() => upgradeYtdlp({ channel, folder: UPGRADES, python: PYTHON, selfTest, say }))
}

try {
  const words = process.argv.slice(2)
  if (words.join() === 'previous') await succeeds(() => takePrevious({ folder: UPGRADES, say }))
  else {
    const { channel, isDaily } = wantedBy(words)
    let done = await upgrade(channel)
    while (isDaily && channel !== 'pinned') {
      await delay(done ? DAY_MS : HOUR_MS)
      done = await upgrade(channel)
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

import { readConfig } from '#packages/foundation/config/config.ts'
import type { Environment } from '#packages/foundation/config/given-text.ts'
import { type Channel, channels } from './upgrade.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A parsed command: a channel to install once or daily, or the previous upgrade. */
export type Wanted = { channel: Channel; isDaily: boolean } | 'previous'

/** @throws Error for other words; ConfigError */
export function wantedBy(words: readonly string[], environment: Environment): Wanted {
  if (words.join() === 'previous') return 'previous'
  const isDaily = words.at(-1) === '--daily'
  const [name = readConfig(environment).ytdlpChannel, ...more] = isDaily ? words.slice(0, -1) : words
  const channel = channels.find((one) => one === name)
  if (!channel || more.length > 0)
    throw new Error(`Usage: npm run ytdlp -- [${channels.join('|')}] [--daily] | previous`)
  return { channel, isDaily }
}

/**
 * Upgrades once, or every day; an hour after a failure it tries again. A pinned yt-dlp is not upgraded daily.
 * @param upgrade returns whether it succeeded
 */
export async function keepUpgraded(
  { channel, isDaily }: Exclude<Wanted, 'previous'>,
  upgrade: () => Promise<boolean>,
  sleep: (ms: number) => Promise<unknown>,
): Promise<void> {
  let done = await upgrade()
  while (isDaily && channel !== 'pinned') {
    await sleep(done ? DAY_MS : HOUR_MS)
    done = await upgrade()
  }
}

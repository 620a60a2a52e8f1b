/**
 * `npm run ytdlp -- [CHANNEL] [--daily]`: upgrades yt-dlp and its companions, once or every day. Channels: `pinned`,
 * `stable`, `nightly`, `newest` (see `upgrade.ts`). The default is YTDLP_CHANNEL. A failure is reported and changes
 * nothing: a single run exits 1; with `--daily` it tries again after an hour. A pinned yt-dlp is not upgraded daily.
 * `npm run ytdlp -- previous` returns to the upgrade before.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { PYTHON, UPGRADES } from '#services/host/outside.ts'
import { keepUpgraded, wantedBy } from './command.ts'
import { testOnSandbox } from './self-test.ts'
import { type Channel, takePrevious, upgradeYtdlp } from './upgrade.ts'

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
  const wanted = wantedBy(process.argv.slice(2), process.env)
  if (wanted === 'previous') await succeeds(() => takePrevious({ folder: UPGRADES, say }))
  else await keepUpgraded(wanted, () => upgrade(wanted.channel), delay)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

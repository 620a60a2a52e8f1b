/**
 * `npm run sandbox -- disturb INCIDENT`: an incident of a game day on the running `npm start -- --sandbox`, with customers
 * who meet it, until Ctrl-C. ops/gameday.md tells what to look at.
 *
 *   npm run sandbox -- disturb breaker        YouTube refuses whoever asks
 *   npm run sandbox -- disturb slow-speech    the sandbox's speech endpoint takes a minute for each answer
 *   npm run sandbox -- disturb full-disk      the disk of DATA_DIR is full; it must be one of at most 1 GiB
 *   npm run sandbox -- disturb flood          customers post jobs as fast as they can
 *   npm run sandbox -- disturb views          a program empties the views and holds their file
 *
 * DATA_DIR is that of the service. All is undone when it ends, however it does, but for the file that fills the disk
 * where it was killed.
 */
import { readConfig } from '#packages/foundation/config/config.ts'
import { runProcess } from '#services/host/run-process.ts'
import { disturb } from './disturb.ts'

await runProcess((stop) => disturb(process.argv.slice(2), readConfig(process.env), { print: console.log, stop }))

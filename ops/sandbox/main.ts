/**
 * `npm run sandbox -- disturb INCIDENT`: an incident of a game day on the running `npm start -- --sandbox`, with affected
 * customers, until Ctrl-C. ops/gameday.md explains what to look at.
 *
 *   npm run sandbox -- disturb breaker        YouTube refuses every request
 *   npm run sandbox -- disturb slow-speech    the sandbox's speech endpoint takes a minute for each answer
 *   npm run sandbox -- disturb full-disk      the disk of DATA_DIR is full; it must have at most 1 GiB
 *   npm run sandbox -- disturb flood          customers post jobs as fast as they can
 *   npm run sandbox -- disturb views          a program empties the views and holds their file
 *
 * DATA_DIR is the service's. Everything is undone at the end, even after a kill, except for the file that fills the
 * disk.
 */
import { readConfig } from '#packages/foundation/config/config.ts'
import { runProcess } from '#services/host/run-process.ts'
import { disturb } from './disturb.ts'

await runProcess((stop) => disturb(process.argv.slice(2), readConfig(process.env), { print: console.log, stop }))

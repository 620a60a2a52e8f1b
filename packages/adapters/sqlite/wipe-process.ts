/**
 * Leaves no byte of removed rows in a file of SQLite that others write. `secure_delete` overwrites a row where it is
 * deleted, but where SQLite has moved it from one page to another before, the copy stays behind in the free space of the
 * first. Only VACUUM would clear that, by writing the whole file anew while nobody else may write. Here the file is read
 * through, and the free space that has remains is overwritten, as are free pages: those of a dropped table have its rows. At
 * the end the log is emptied: it has pages as they were.
 *
 * A process of its own, because it opens the file itself: to close a file ends all locks on it of the same process, those
 * of SQLite among them. It takes what file it is and its path, and exits with 0 once nothing is left. It ends with the
 * process that started it, at whatever moment: to be killed does no harm to the file.
 */

import type { WipedFile } from './unwiped.ts'
import { Wipe } from './wipe.ts'

const [, , what, path = ''] = process.argv
const end = (): boolean => process.kill(process.pid, 'SIGKILL')
process.stdin.on('end', end).on('error', end).resume().unref()
using wipe = new Wipe(what as WipedFile, path)
process.exitCode = (await wipe.run()) ? 0 : 1

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes `<platform>.txt` as browsers export cookies, for an account of the sandbox that follows all creators. */
export const writeCookies = (directory: string, platform: string): Promise<void> =>
  writeFile(
    join(directory, `${platform}.txt`),
    `# Netscape HTTP Cookie File\n.${platform}.com\tTRUE\t/\tTRUE\t4102444800\tsessionid\tsandbox\n`,
  )

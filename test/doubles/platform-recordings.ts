import { existsSync, readFileSync } from 'node:fs'

const folder = new URL('../../../shared/fixtures/', import.meta.url)

/** A recorded answer of a platform, as text. */
export const recording = (path: string): string => readFileSync(new URL(path, folder), 'utf8')

export const recordedJson = (path: string) => JSON.parse(recording(path))

/** Tests that read recordings, which do not travel with the project. */
export function describeRecorded(title: string, tests: () => void): void {
  describe(`${title}, recorded`, () => {
    before(function () {
      if (existsSync(folder)) return
      console.log('    skipped: the folder of recordings (../shared/fixtures) is absent')
      this.skip()
    })
    tests()
  })
}

import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { smallDisk, withSmallDisk } from '#test/doubles/small-disk.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { openDataDirectory } from './data-directory.ts'
import { DiskSpace, spaceIn } from './disk-space.ts'

const SIZE = 8 * 1_048_576

describe('disk space', () => {
  withSmallDisk(() => {
    it('is in /ready and in the metrics, for the data, the media and the archive', async () => {
      await using disk = await smallDisk(SIZE)
      const data = await openDataDirectory(join(disk.path, 'data'))
      const space = new DiskSpace({ exportDir: disk.path }, data)
      const telemetry = new RecordingTelemetry()
      space.observe(telemetry)
      const spaces = (metric: { name: string }) => Object.fromEntries(telemetry.observed(metric))
      expect(await space.dependency.look()).to.equal(undefined)
      expect(space.warnings).to.deep.equal([])
      expect(spaces(metrics.diskFree).data).to.be.within(SIZE / 2, SIZE)
      await writeFile(join(disk.path, 'filler'), Buffer.alloc(SIZE)).catch(() => undefined)
      expect(await space.dependency.look()).to.equal('the disk of DATA_DIR is full, or fails')
      expect(space.warnings.map(({ message }) => message)).to.deep.equal([
        'The disk of the archive is full.',
        'The disk of the media cache is full.',
      ])
      expect(spaces(metrics.diskFree)).to.deep.equal({ data: 0, media: 0, archive: 0 })
      expect(spaces(metrics.diskSize)).to.deep.equal({ data: SIZE, media: SIZE, archive: SIZE })
      await unlink(join(disk.path, 'filler'))
      expect(await space.dependency.look()).to.equal(undefined)
      expect(space.warnings).to.deep.equal([])
    })
  })

  it('is zero if no more files can be created, unless the file system does not count files', () => {
    const told = { bavail: 500, blocks: 1000, bsize: 4096, ffree: 0 }
    expect(spaceIn({ ...told, files: 64_000 })).to.deep.equal({ free: 0, size: 4_096_000 })
    expect(spaceIn({ ...told, files: 0 })).to.deep.equal({ free: 2_048_000, size: 4_096_000 })
  })
})

import { expect } from 'chai'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import type { EndedSpan } from './telemetry.ts'
import { tracedTool } from './traced-tool.ts'
import { newTraceparent } from './traceparent.ts'

const shown = ({ name, attributes, error }: EndedSpan) => ({ name, attributes, error })

describe('a tool that is traced', () => {
  const telemetry = new RecordingTelemetry()

  it('is a span for each run', async () => {
    const decode = tracedTool(telemetry, 'ffmpeg', 'decode-audio', async (path: string) => path.length)
    expect(await telemetry.within(newTraceparent(true), () => decode('/a/b'))).to.equal(4)
    expect(telemetry.spans.map(shown)).to.deep.equal([
      { name: 'ffmpeg decode-audio', attributes: { 'video.tool': 'ffmpeg' }, error: undefined },
    ])
  })
})

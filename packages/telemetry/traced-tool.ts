import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * The same function, with a span for each call. The span is named after the tool and what it does: `ffmpeg
 * decode-audio`.
 */
export const tracedTool =
  <A extends unknown[], R>(
    telemetry: Telemetry,
    tool: string,
    what: string,
    run: (...given: A) => Promise<R>,
  ): ((...given: A) => Promise<R>) =>
  (...given) =>
    telemetry.inSpan({ name: `${tool} ${what}`, attributes: { [names.tool]: tool } }, () => run(...given))

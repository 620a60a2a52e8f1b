import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * Returns the function with a span for each call. The span is named after the tool and its task: `ffmpeg decode-audio`.
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

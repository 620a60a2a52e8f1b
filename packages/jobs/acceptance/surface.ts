import type { EventData } from '#contracts/generated/events.ts'

/** The surface that a job is requested through. */
export type Surface = EventData['JobRequested']['surface']

/** The `User-Agent` of the tool server, which uses `/v1` like any other client. */
export const TOOL_SERVER = 'video-intelligence-mcp'

/** The surface of a request to `/v1`, as the caller states it, for the caller's own lists. */
export const surfaceOf = (userAgent: string | undefined): 'api' | 'mcp' => (userAgent === TOOL_SERVER ? 'mcp' : 'api')

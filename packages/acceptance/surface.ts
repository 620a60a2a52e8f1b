import type { EventData } from '#contracts/generated/events.ts'

/** By which surface a job is asked for. */
export type Surface = EventData['JobRequested']['surface']

/** The `User-Agent` of the tool server, which asks `/v1` as any other client does. */
export const TOOL_SERVER = 'video-intelligence-mcp'

/** The surface by which a request to `/v1` came. It is what the caller says of itself, for its own lists. */
export const surfaceOf = (userAgent: string | undefined): 'api' | 'mcp' => (userAgent === TOOL_SERVER ? 'mcp' : 'api')

import { command, connected, noWords } from './context.ts'

/** Every tool call is answered within this time, because hosts give up after 60 seconds. */
const ANSWER_SECONDS = 45

export const mcp = command({
  words: '',
  about: 'Serves five tools for agents over standard input and output (Model Context Protocol).',
  more: `For hosts that start their tool servers:
  claude mcp add video-intelligence -- npx video-intelligence-cli mcp`,
  options: {},
  async run(context) {
    noWords(context.words)
    const connection = await connected(context)
    // Imported here, because the protocol's library takes longer to load than all other commands together.
    const [{ serveStdio }, { createMcpServer }, { noTelemetry }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../../services/mcp/server.ts'),
      import('../telemetry/telemetry.ts'),
    ])
    const options = { ...connection, answerSeconds: ANSWER_SECONDS, telemetry: noTelemetry }
    serveStdio(() => createMcpServer(options))
    await new Promise((resolve) => context.io.stdin.once('end', resolve))
  },
})

import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { quickstart } from './docs-page.ts'

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { summary }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`),
)

const examples = quickstart.map(({ title, fence, code }) => `### ${title}\n\n\`\`\`${fence}\n${code}\`\`\``)

/** The service for a language model that reads it (llmstxt.org): Markdown. */
export const llmsText = `# ${openapi.info.title}

> A video's URL in, data out: metadata, searches, profiles, timestamped transcripts and extractions of YouTube, TikTok,
> Instagram, X, Facebook and media files. Every request carries an API key in the header \`x-api-key\`.

${openapi.info.description.trim()}

## Documents

- [openapi.json](openapi.json): every operation, field and error, as OpenAPI ${openapi.openapi}
- [docs](docs): the same for people
- [mcp](mcp): tools for agents by the Model Context Protocol (Streamable HTTP), with the same key

## Operations

${operations.join('\n')}

## Quickstart

With the key in the environment variable KEY, and the address of this service in place of http://127.0.0.1:8080. The video
is one of the sandbox (\`npm start -- --sandbox\`).

${examples.join('\n\n')}
`

import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { type Guide, summaryOf, titleOf } from './guides.ts'
import { type Operation, operations } from './operations.ts'
import { writtenBase } from './served-text.ts'

type Schema = { description?: string; properties?: Record<string, Schema>; [key: string]: unknown }
const schemas = openapi.components.schemas as unknown as Record<string, Schema>

const head = `# ${openapi.info.title}

> A video's URL in, data out: metadata, searches, profiles, timestamped transcripts and extractions of YouTube, TikTok,
> Instagram, X, Facebook and media files. Send an API key in the header \`x-api-key\` with every request.

Base URL: ${writtenBase}
`

/** The guides that an agent needs in full, in addition to the operations. */
const inFull = ['quickstart', 'formats', 'credits']

/**
 * Describes the service for a language model (llmstxt.org), in Markdown.
 * @param note about a special service, or empty
 */
export function llmsText(guides: readonly Guide[], note: string): string {
  const list = guides.map((guide) => `- [${titleOf(guide)}](docs/guides/${guide.name}): ${summaryOf(guide)}`)
  const shown = guides.filter(({ name }) => inFull.includes(name)).map(deeper)
  return `${head}
${note}

## Documents

- [llms-full.txt](llms-full.txt): this file with every guide and every field, in one text
- [openapi.json](openapi.json): every operation, field and error, as OpenAPI ${openapi.openapi}
- [Errors](docs/errors): what each error code means, and what to do
- [mcp](mcp): tools for agents over the Model Context Protocol (Streamable HTTP), with the same key

## Guides

${list.join('\n')}

## Operations

${operations.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`).join('\n')}

${shown.join('\n')}`
}

/** A guide as part of a longer text: its headings are one level deeper. */
const deeper = ({ markdown }: Guide): string => {
  let isCode = false
  return markdown.replaceAll(/^(```|#+ )/gm, (start) => {
    if (start === '```') isCode = !isCode
    return start === '```' || isCode ? start : `#${start}`
  })
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``

const successOf = ({ responses }: Operation): string =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(
      ([status, response]) =>
        `Answer ${status}: ${JSON.stringify((response as { content?: unknown }).content ?? null)}`,
    )
    .join('\n')

const told = (operation: Operation): string => `### ${operation.method} ${operation.path}

${operation.summary}. ${operation.description ?? ''}
${operation.parameters === undefined ? '' : `Parameters:\n${json(operation.parameters)}\n`}${operation.requestBody === undefined ? '' : `Body:\n${json(operation.requestBody)}\n`}
${successOf(operation)}
`

/** Everything in one text: the guides, then the reference. @param description of the service */
export const llmsFullText = (guides: readonly Guide[], description: string): string => `${head}
${guides.map(deeper).join('\n')}
## Reference

${description.trim()}

${operations.map(told).join('\n')}
## Schemas

${Object.entries(schemas)
  .map(([name, schema]) => `### ${name}\n\n${json(schema)}`)
  .join('\n\n')}
`

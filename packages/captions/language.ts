/** Codes that name no one language: undetermined, none, several, uncoded. */
const noLanguage = new Set(['und', 'zxx', 'mul', 'mis'])

/**
 * A language as BCP 47 writes it, from any code a container may carry (`eng`, `ger`, `pt-br`); null when it names none.
 */
export function toBcp47(code: string | undefined): string | null {
  if (!code || code.length > 35) return null
  try {
    const [tag] = Intl.getCanonicalLocales(code.replaceAll('_', '-'))
    return tag && !noLanguage.has(tag) ? tag : null
  } catch {
    // no well-formed tag: the same as none
    return null
  }
}

/** The language of a tag without script, region and the rest. */
export const primaryLanguage = (tag: string): string => tag.split('-')[0] ?? tag

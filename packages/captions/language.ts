/** Codes that name no single language: undetermined, none, several, uncoded. */
const noLanguage = new Set(['und', 'zxx', 'mul', 'mis'])

/**
 * The BCP 47 tag for any language code of a container (`eng`, `ger`, `pt-br`); null when it names no language.
 */
export function toBcp47(code: string | undefined): string | null {
  if (!code || code.length > 35) return null
  try {
    const [tag] = Intl.getCanonicalLocales(code.replaceAll('_', '-'))
    return tag && !noLanguage.has(tag) ? tag : null
  } catch {
    // not a well-formed tag
    return null
  }
}

/** The language of a tag without script, region and the rest. */
export const primaryLanguage = (tag: string): string => tag.split('-')[0] ?? tag

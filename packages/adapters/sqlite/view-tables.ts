/** The names of the table of documents, and of the row of the state, of views. */
export type ViewsTables = { documents: string; state: string }

export const liveTables: ViewsTables = { documents: 'documents', state: 'live' }

/** Those of views that are made beside the live ones. */
export const nextTables: ViewsTables = { documents: 'next_documents', state: 'next' }

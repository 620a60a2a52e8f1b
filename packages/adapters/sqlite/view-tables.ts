/** The names of the tables of views: one for the documents, one for the row of the state. */
export type ViewsTables = { documents: string; state: string }

export const liveTables: ViewsTables = { documents: 'documents', state: 'live' }

/** The tables of views that are built beside the live ones. */
export const nextTables: ViewsTables = { documents: 'next_documents', state: 'next' }

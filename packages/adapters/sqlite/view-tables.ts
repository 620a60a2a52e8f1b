/** The names of the tables of views. */
export type ViewsTables = { documents: string; checkpoints: string; state: string }

export const liveTables: ViewsTables = { documents: 'documents', checkpoints: 'checkpoints', state: 'state' }

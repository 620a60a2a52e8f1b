/** The tables that views lie in. */
export type ViewsTables = { documents: string; checkpoints: string; state: string }

export const liveTables: ViewsTables = { documents: 'documents', checkpoints: 'checkpoints', state: 'state' }

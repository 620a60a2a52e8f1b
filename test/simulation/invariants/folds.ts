export type Fields = Record<string, unknown>

/** The expected documents of one view, by their ids. */
export type Fold = Map<string, Fields>

export function set(fold: Fold, id: string, fields: Fields): void {
  fold.set(id, { ...fold.get(id), ...fields })
}

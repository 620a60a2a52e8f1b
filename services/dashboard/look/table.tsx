/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'
import { Scroll, TableHead, Zone } from './parts.tsx'

type TableParts<Row> = {
  /** Visible, but only for screen readers if it is a text and the table has a `label`. */
  caption: ComponentChildren
  /** The name of the section in which the table scrolls. Undefined: a card contains the table. */
  label?: string
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** The cell of each column, by the column's name. */
  columns: Readonly<Record<string, (row: Row) => ComponentChildren>>
  /** The columns of numbers. */
  numbers?: readonly string[]
  /** The column that names the row. On a card it stands above the others. */
  lead?: string
}

/** A table of things that are alike. On small screens a row is a card: its cells stand beside the names of their columns. */
export function Table<Row>({ caption, label, rows, keyOf, columns, numbers = [], lead }: TableParts<Row>): VNode {
  const isHidden = label !== undefined && typeof caption === 'string'
  const table = (
    <table class="stacked">
      <caption class={isHidden ? 'hidden' : undefined}>{caption}</caption>
      <TableHead columns={Object.keys(columns).map((name) => (numbers.includes(name) ? { number: name } : name))} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {Object.entries(columns).map(([name, cell]) =>
              name === lead ? (
                <td key={name} class="lead">
                  {cell(row)}
                </td>
              ) : (
                <td key={name} data-label={name} class={numbers.includes(name) ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return label === undefined ? table : <Scroll label={label}>{table}</Scroll>
}

type PagedParts<Row> = Omit<TableParts<Row>, 'caption'> & {
  /** What the rows are, such as `Jobs`. */
  label: string
  /** The caption of a page without rows. */
  none?: string
  /** The addresses of the first and of the next page. Undefined: there is no link. */
  newest: string | undefined
  older: string | undefined
}

/** One page of a table that begins with the newest row, and links to the other pages. */
export function PagedTable<Row>({ none, newest, older, ...table }: PagedParts<Row>): VNode {
  const rows = table.label.toLowerCase()
  return (
    <>
      <Table
        caption={
          <>
            {table.rows.length === 0 ? (none ?? `No older ${rows}.`) : 'Newest first. '}
            {table.rows.length > 0 && <Zone />}
          </>
        }
        {...table}
      />
      <nav class="row" aria-label={`Pages of ${rows}`}>
        {newest !== undefined && <a href={newest}>{`Newest ${rows}`}</a>}
        {older !== undefined && (
          <a class="button" href={older}>
            {`Older ${rows}`}
          </a>
        )}
      </nav>
    </>
  )
}

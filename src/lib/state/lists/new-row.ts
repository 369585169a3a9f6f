import { tick } from 'svelte'

/** Rows of tables that stand on the page, and entries of lists that say that they are such rows. */
const ROWS = '#content :is(table[data-cards] tbody tr, li[data-row])'
const DIALOG = '[role="dialog"] *, [role="alertdialog"] *'
const FIELD = 'input, textarea, select'

/** Made by a form after which a dialog tells something: the cursor comes once that is closed. */
let waiting: HTMLElement | null = null

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(ROWS)]
const nameOf = (row: HTMLElement): string => JSON.stringify(Object.entries(row.dataset))

/** What a form keeps before it is sent: the names of all rows that are there. */
export const rowsBefore = (): ReadonlySet<string> => new Set(rows().map(nameOf))

/**
 * Brings the row that is there since `before` into view, lights it up once, and puts the cursor
 * into it, so that whoever made it goes on from it; unless he is at work elsewhere already.
 * Does nothing where no row is new.
 */
export const goToNewRow = async (before: ReadonlySet<string>): Promise<void> => {
  await tick()
  // A list that knows what was made in it has done so.
  if (document.querySelector('#content .animate-lit') !== null) return
  const row = rows().find((one) => !before.has(nameOf(one)))
  if (row === undefined) return
  row.scrollIntoView({ block: 'nearest' })
  row.classList.add('animate-lit')
  row.addEventListener('animationend', () => row.classList.remove('animate-lit'), { once: true })
  goOnFrom(row)
}

/** Puts the cursor into a row, now or when the dialog is closed that has it; not out of a field. */
export const goOnFrom = (row: HTMLElement): void => {
  const at = document.activeElement
  if (at?.matches(DIALOG)) waiting = row
  else if (!at?.matches(FIELD)) focusRow(row)
}

/** On what it is called, where that can be opened, and else on the row itself. */
const focusRow = (row: HTMLElement): void => {
  const opener = row.querySelector<HTMLElement>('[data-title] :is(a, button)')
  if (opener === null) row.tabIndex = -1
  const at = opener ?? row
  at.focus({ preventScroll: true })
}

/** Puts the cursor into the row that waits for it; whether one does. */
export const focusWaitingRow = (): boolean => {
  const row = waiting
  waiting = null
  if (row?.isConnected !== true) return false
  focusRow(row)
  return true
}

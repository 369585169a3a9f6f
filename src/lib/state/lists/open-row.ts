import type { Attachment } from 'svelte/attachments'

const CONTROLS = 'a, button, input, label, select, [role="menuitem"]'

/**
 * Opens a row by a click anywhere on it that meets no control and selects no
 * text. For the mouse alone: the row's first cell holds a link or button that
 * does the same from the keyboard.
 */
export const openRow =
  (open: () => void): Attachment<HTMLElement> =>
  (row) => {
    const onclick = (event: MouseEvent) => {
      const onControl = event.target instanceof Element && event.target.closest(CONTROLS) !== null
      const selecting = getSelection()?.type === 'Range'
      if (!onControl && !selecting) open()
    }
    row.addEventListener('click', onclick)
    return () => row.removeEventListener('click', onclick)
  }

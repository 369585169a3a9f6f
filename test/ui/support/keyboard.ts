import type { Page } from 'playwright-core'

const MOST_PRESSES = 80

export interface Keyboard {
  /** What the control that has the cursor can be called: its name, label, text and id. */
  focused(): Promise<string[]>
  /** Presses Tab (or Shift+Tab) until the control with this id or name has the cursor. */
  tabTo(name: string, key?: 'Tab' | 'Shift+Tab'): Promise<void>
  /** Goes there and presses Enter. */
  press(name: string, key?: 'Tab' | 'Shift+Tab'): Promise<void>
}

/** Moves through a page as one does who has no mouse. */
export const keyboardOf = (page: Page): Keyboard => {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined
      return [element?.getAttribute('aria-label'), (label ?? element)?.textContent, element?.id]
        .map((name) => name?.trim() ?? '')
        .filter((name) => name !== '')
    })
  const tabTo = async (name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
    for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
      if ((await focused()).includes(name)) return
      await page.keyboard.press(key)
    }
    throw new Error(`${name} cannot be reached with ${key}`)
  }
  return {
    focused,
    tabTo,
    async press(name, key) {
      await tabTo(name, key)
      await page.keyboard.press('Enter')
    },
  }
}

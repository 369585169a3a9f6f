import type { Page } from 'playwright-core'

/** Drags files over the open folder and lets them fall. `files`: name to text or, as base64, bytes. */
export const dropFiles = async (
  page: Page,
  files: Readonly<Record<string, string | { base64: string }>>,
): Promise<void> => {
  const dataTransfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer()
    for (const [name, content] of Object.entries(files)) {
      const part =
        typeof content === 'string'
          ? content
          : Uint8Array.from(atob(content.base64), (char) => char.charCodeAt(0))
      data.items.add(new File([part], name))
    }
    return data
  }, files)
  const zone = page.getByRole('region', { name: 'Upload', exact: true })
  await zone.dispatchEvent('dragenter', { dataTransfer })
  await page.getByText('Drop to upload into').waitFor()
  await zone.dispatchEvent('drop', { dataTransfer })
}

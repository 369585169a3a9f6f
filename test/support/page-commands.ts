/** What stands below a heading of a Markdown page, up to the next of the same kind. */
export const sectionOf = (page: string, heading: string): string => {
  const text = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  if (text === undefined) throw new Error(`the page has no heading ${heading}`)
  return text
}

/** What stands between fences of a language, without the indentation of the list that they are in. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\``, 'gm'))].map(
    ([, indent = '', inside = '']) => inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** Words of each command in a text's blocks of `sh`, as a shell takes them, without what it remarks. */
export const commandsOf = (text: string): string[][] =>
  blocksOf(text, 'sh')
    .join('')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, ''))
    .filter((line) => line.trim() !== '')
    .map((line) =>
      (line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
        word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
      ),
    )

import { CliError } from './cli-error.ts'

const ENTER = new Set(['\r', '\n', '\u0004'])
const RUBOUT = new Set(['\u007f', '\b'])

/** One line of the terminal that is not shown. */
export const askHidden = (prompt: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { stdin, stderr } = process
    const typed: string[] = []
    const end = (): void => {
      stdin.off('data', onData)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
    }
    const onData = (chunk: string): void => {
      for (const char of chunk) {
        if (ENTER.has(char)) {
          end()
          resolve(typed.join(''))
          return
        }
        if (char === '\u0003') {
          end()
          reject(new CliError('Nothing was changed.'))
          return
        }
        if (RUBOUT.has(char)) typed.pop()
        else typed.push(char)
      }
    }
    stdin.setEncoding('utf8')
    // Before the prompt: from the moment it is seen nothing typed may be shown.
    stdin.setRawMode(true)
    stdin.on('data', onData)
    stdin.resume()
    stderr.write(prompt)
  })

/** A secret of any number of lines: asked for at a terminal, else all of standard input but a last line break. */
export const readSecret = async (prompt: string): Promise<string> => {
  if (process.stdin.isTTY) return askHidden(prompt)
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) text += String(chunk)
  return text.replace(/\r?\n$/, '')
}

/** The first line of standard input. */
export const readPasswordLine = async (): Promise<string> => {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) text += String(chunk)
  const [line = ''] = text.split(/\r?\n/)
  return line
}

/**
 * A new password: asked for twice at a terminal, without showing it, or the first
 * line of standard input. Never from the command line, which `ps` shows to all.
 */
export const readNewPassword = async (): Promise<string> => {
  if (!process.stdin.isTTY) return readPasswordLine()
  const password = await askHidden('New password: ')
  if ((await askHidden('The same once more: ')) === password) return password
  throw new CliError('The two are not the same. Nothing was changed.')
}

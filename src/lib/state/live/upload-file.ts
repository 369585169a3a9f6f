import { parseResult } from '$lib/api/parse-result'
import type { ApiResult } from '$lib/api/types'
import { texts } from '$lib/texts'

/** Sends a file as the body of a POST and tells how much of it is gone. XMLHttpRequest, because fetch tells nothing of what it sends. */
export const uploadFile = (
  url: string,
  file: File,
  onPercent: (percent: number) => void,
): Promise<ApiResult<unknown>> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.onprogress = ({ loaded }) =>
      onPercent(Math.floor((100 * loaded) / Math.max(1, file.size)))
    request.onload = () => {
      const body = new Response(request.responseText, {
        status: Math.max(200, request.status),
        headers: { 'Content-Type': 'application/json' },
      })
      resolve(parseResult(body))
    }
    request.onerror = () =>
      resolve({ ok: false, error: texts.uploads.broken, status: 0, field: null })
    request.open('POST', url)
    request.setRequestHeader('X-Requested-With', 'berth')
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.send(file)
  })

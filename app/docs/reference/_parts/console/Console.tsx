'use client'

import { Alert, Button, FileInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../../../../_ui/CodeBlock'
import { fieldErrors } from '../../../../_ui/form/form-errors'
import classes from './Console.module.css'
import { KeyLine } from './KeyLine'
import { type ConsoleOperation, problemOf, requestOf } from './request'
import { temporaryKey } from './temporary-key'

interface Answer {
  status: string
  headers: string
  body: string
  ms: number
}

const LONGEST_SHOWN = 20_000

/** Sends requests of one operation to this installation from the browser, with a temporary test key, and shows the response. */
export function Console({ operation }: { operation: ConsoleOperation }) {
  const [values, setValues] = useState(() => Object.fromEntries(operation.parameters.map(({ name, value }) => [name, value])))
  const [body, setBody] = useState(operation.body ?? '')
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string>()
  const [answer, setAnswer] = useState<Answer>()
  const [isSending, setSending] = useState(false)
  /** Counts the keys that expired and need another two-factor code. */
  const [expired, setExpired] = useState(0)
  const [hasKey, setHasKey] = useState(operation.scope === undefined)

  const send = async () => {
    const input = { values, body, file: file ?? undefined }
    const wrong = problemOf(operation, input)
    setProblem(wrong)
    if (wrong || isSending) return
    setSending(true)
    try {
      const key = operation.scope ? (await temporaryKey(operation.scope)).value : undefined
      const { url, ...init } = requestOf(operation, input, key)
      setAnswer(await answerOf(url, init))
    } catch (error) {
      const asksForCode = fieldErrors(error as Error)?.code !== undefined
      if (asksForCode) setExpired((times) => times + 1)
      setProblem(asksForCode ? 'The test key has expired.' : `No response: ${(error as Error).message}`)
    } finally {
      setSending(false)
    }
  }

  return (
    <fieldset className={classes.console} aria-label="Console">
      {operation.scope && <KeyLine key={expired} scope={operation.scope} onReady={setHasKey} />}
      {operation.parameters.map(({ name, in: place, required }) => (
        <TextInput
          key={name}
          label={name}
          description={place === 'path' ? undefined : place}
          withAsterisk={required}
          value={values[name] ?? ''}
          onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
          onKeyDown={({ key }) => key === 'Enter' && hasKey && void send()}
        />
      ))}
      {operation.body !== undefined && (
        <Textarea
          label="Body"
          minRows={3}
          maxRows={14}
          spellCheck={false}
          classNames={{ input: classes.body }}
          value={body}
          onChange={({ currentTarget }) => setBody(currentTarget.value)}
        />
      )}
      {operation.takesFile && <FileInput label="File" placeholder="Choose a file" value={file} onChange={setFile} />}
      {operation.method !== 'GET' && operation.operationId !== 'createPlaybackToken' && (
        <p className={classes.hint}>This request changes data in your account, even with a test key.</p>
      )}
      {problem && (
        <Alert color="red" p="xs">
          {problem}
        </Alert>
      )}
      <Button onClick={send} loading={isSending} disabled={!hasKey}>
        Send {operation.method} request
      </Button>
      {answer && (
        <div className={classes.answer} aria-live="polite">
          <p>
            <b>{answer.status}</b> <span>{answer.ms} ms</span>
          </p>
          <CodeBlock label="Body" code={answer.body} />
          <details>
            <summary>Headers</summary>
            <CodeBlock label="Headers" code={answer.headers} />
          </details>
        </div>
      )}
    </fieldset>
  )
}

async function answerOf(url: string, init: RequestInit): Promise<Answer> {
  const began = performance.now()
  // Without the cookies of the dashboard: the key alone authenticates.
  const response = await fetch(url, { ...init, credentials: 'omit', cache: 'no-store' })
  const text = await response.text()
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: readable(text),
    ms: Math.round(performance.now() - began),
  }
}

function readable(text: string): string {
  let shown = text
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Not JSON: as it came.
  }
  if (shown === '') return '(empty)'
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}\n… ${shown.length - LONGEST_SHOWN} more characters` : shown
}

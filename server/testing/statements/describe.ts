import type pg from 'pg'
import { type Catalog, mayBeNull } from './nullability.ts'

/** A statement as PostgreSQL describes it. */
export interface Described {
  /** OIDs of the parameters' types. */
  parameters: number[]
  /** `nullable` is undefined where the statement is none whose expressions can be read, such as FETCH. */
  columns: { name: string; type: number; nullable: boolean | undefined }[]
}

interface Connection {
  parse(query: { text: string }): void
  describe(message: { type: 'S' }): void
  sync(): void
  once(name: 'parameterDescription', heard: (message: { dataTypeIDs: number[] }) => void): void
  removeAllListeners(name: 'parameterDescription'): void
}

/** Asks PostgreSQL for the parameters and columns of a statement, which it parses and does not run. Errors: those of the statement. */
export async function describeStatement(client: pg.ClientBase, catalog: Catalog, text: string): Promise<Described> {
  const { parameters, fields } = await new Promise<{ parameters: number[]; fields: pg.FieldDef[] }>((resolve, reject) => {
    let parameters: number[] = []
    let fields: pg.FieldDef[] = []
    const description = {
      submit(connection: Connection) {
        connection.once('parameterDescription', ({ dataTypeIDs }) => {
          parameters = dataTypeIDs
        })
        connection.parse({ text })
        connection.describe({ type: 'S' })
        connection.sync()
      },
      handleRowDescription(message: { fields: pg.FieldDef[] }) {
        fields = message.fields
      },
      handleError(error: Error, connection: Connection) {
        connection.removeAllListeners('parameterDescription')
        reject(error)
      },
      handleReadyForQuery: () => resolve({ parameters, fields }),
    }
    client.query(description as unknown as pg.Submittable)
  })
  const nullable = fields.length > 0 ? await nullableColumns(client, catalog, text, parameters) : []
  return { parameters, columns: fields.map(({ name, dataTypeID }, index) => ({ name, type: dataTypeID, nullable: nullable?.[index] })) }
}

/** Reads the statement as PostgreSQL parses it: as the body of a function, which it stores as a tree. */
async function nullableColumns(
  client: pg.ClientBase,
  catalog: Catalog,
  text: string,
  parameters: number[],
): Promise<boolean[] | undefined> {
  const types = parameters.map((type) => `${catalog.types.get(type)?.sql}`).join(', ')
  await client.query('BEGIN')
  try {
    await client.query(`CREATE FUNCTION pg_temp.described(${types}) RETURNS void LANGUAGE sql BEGIN ATOMIC ${text}; END`)
    const { rows } = await client.query<{ tree: string }>(`SELECT prosqlbody AS tree FROM pg_proc WHERE proname = 'described'`)
    return mayBeNull(rows[0]?.tree ?? '', catalog)
  } catch (error) {
    if ((error as { code?: string }).code) return undefined
    throw error
  } finally {
    await client.query('ROLLBACK')
  }
}

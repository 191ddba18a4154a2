-- Links by which an e-mail proves itself before an account is made under it. Only a hash of the link's secret is kept.
CREATE TABLE sign_up_link (
  hash BYTEA NOT NULL,
  email TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT sign_up_link_pkey PRIMARY KEY (hash)
);
CREATE INDEX sign_up_link_email_idx ON sign_up_link (email);

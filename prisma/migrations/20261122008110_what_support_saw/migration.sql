-- What of a part of an account support staff looked at: a video, a call, an endpoint, a delivery; empty for the part itself.
ALTER TABLE support_view ADD COLUMN subject TEXT NOT NULL DEFAULT '';
ALTER TABLE support_view DROP CONSTRAINT support_view_pkey;
ALTER TABLE support_view ADD CONSTRAINT support_view_pkey PRIMARY KEY (account_id, user_id, page, subject, hour);

-- Seconds left follow from the pace so far, and waits from the media.
DROP TABLE transcode_estimate;

